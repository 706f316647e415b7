// kind: read
// The items whose statements are there.
// column id: the item's id
MATCH (item:Item)
WHERE item.fetched IS NOT NULL
RETURN item.id AS id
