"""Release a lesson to a running class without giving answers away too early, also through nbgrader's exchange."""
