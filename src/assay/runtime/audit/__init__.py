"""Checkpoints, receipts, time-stamps, retention, export."""
