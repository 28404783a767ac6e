"""The challenge of lesson 10: running every student's translator, and the leaderboard."""
