// kind: read
// Pictures of Wikipedia pages.
// parameter reason: why they have no item or are left out (empty: those that are not), or null for all
// column picture: the properties of the node
MATCH (picture:Picture)
WHERE $reason IS NULL OR picture.reason = $reason
RETURN properties(picture) AS picture
