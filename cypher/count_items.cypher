// kind: read
// Items by whether their statements are there.
// column fetched: true, or false for those that are only named
// column count: how many
MATCH (item:Item)
RETURN item.fetched IS NOT NULL AS fetched, count(*) AS count
