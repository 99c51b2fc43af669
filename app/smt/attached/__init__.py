"""The wing's items for each part of the core; `app.wings` reads them."""
