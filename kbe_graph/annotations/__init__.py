"""What is known of images from elsewhere, read as views: scene graphs, instances, captions, labels, actions."""
