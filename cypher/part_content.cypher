// kind: read
// What came of a part.
// parameter id: the part's id
// column content: what came of it, as text
MATCH (part:Part {id: $id})
RETURN part.content AS content
