"""Files and folders of `assay pair`, which adds language pairs to this installation."""
