"""What a record comes to: counted from its events, for the figures that are drawn of it.

In      a store
Out     RecordFigures
Effects store reads
Spec    007-F2
"""
