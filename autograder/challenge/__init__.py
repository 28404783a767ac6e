"""The challenge of lesson 12: running every student's translator, and the leaderboard."""
