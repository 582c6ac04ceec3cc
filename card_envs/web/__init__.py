"""The table in the browser: play against agents, watch them, step through games of tournaments. `card-envs web`."""
