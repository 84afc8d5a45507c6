"""What may enter a prompt: bundles, selection, anchors. Pure."""
