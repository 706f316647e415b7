// kind: query
// about: Wikipedia
// reads: every picture
// Pictures of Wikipedia pages by the reason why they have no item or are left out (empty for the others).
// column reason: why
// column pictures: how many
MATCH (picture:Picture)
RETURN picture.reason AS reason, count(*) AS pictures
ORDER BY pictures DESC, reason
