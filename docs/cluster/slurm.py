"""A dask scheduler on this machine, and workers for it as SLURM jobs, until Enter is pressed.

python docs/cluster/slurm.py --jobs 4
"""

from __future__ import annotations

import argparse
import shlex
import sys

#: one job: a worker with a thread for each core. A submission may use 2 GB
JOB = {
    "cores": 16,
    "processes": 1,  # one worker a job: its sandboxes take turns with the cores
    "memory": "34GB",
    "walltime": "02:00:00",
    "queue": "normal",
    "local_directory": "/tmp",
    "python": shlex.quote(sys.executable),  # its path may contain a space
    "worker_extra_args": ["--no-dashboard"],
}


def main() -> None:
    """Start them, and say how to grade with them."""
    from dask_jobqueue import SLURMCluster

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1, help="how many (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8786, help="the scheduler's (default: %(default)s)")
    arguments = parser.parse_args()
    scheduler = {"port": arguments.port, "dashboard": False}
    with SLURMCluster(**JOB, scheduler_options=scheduler) as cluster:
        cluster.scale(jobs=arguments.jobs)
        print(f"Grade with: course grade LESSON --submissions DIR --scheduler {cluster.scheduler_address}")
        input("Enter ends the jobs. ")


if __name__ == "__main__":
    main()
