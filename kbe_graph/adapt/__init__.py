"""A benchmark that follows the models, round by round."""
