"""Questions by shapes: what is recognised in a picture, drafts of all shapes, and the gates that they pass."""
