/** Creates a default id. Authors may replace it with any other. */
export const makeId = (kind: string): string => `${kind}-${crypto.randomUUID().slice(0, 8)}`
