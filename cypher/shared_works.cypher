// kind: read
// The works that clients share.
// column work: which work
MATCH (part:Part)
RETURN DISTINCT part.work AS work
