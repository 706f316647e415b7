// kind: read
// Pictures of Wikipedia pages by what became of them.
// column known: whether the item of its page is known
// column reason: why it has none, or is left out
// column count: how many
MATCH (picture:Picture)
RETURN picture.item <> '' AS known, picture.reason AS reason, count(*) AS count
