"""Instructions that touch memory, and the load/store pipe that they go through."""
