"""What stands here and is no test: it is run by another interpreter, which has its packages."""

collect_ignore = ["llama_index_client.py"]
