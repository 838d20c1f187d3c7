/** The scopes that a key can have (xAPI-Communication 4.2). */
export const SCOPES = [
  'statements/write',
  'statements/read/mine',
  'statements/read',
  'state',
  'define',
  'profile',
  'all',
] as const
export type Scope = (typeof SCOPES)[number]

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text)

/** Expands `all` to every scope. */
export const expand = (scopes: readonly Scope[]): ReadonlySet<Scope> =>
  new Set(scopes.includes('all') ? SCOPES : scopes)

/** The scopes of users who are signed in to an app. */
export const USER_SCOPES: readonly Scope[] = ['statements/write', 'statements/read/mine', 'state']

/** The scopes of content of a package. */
export const LAUNCH_SCOPES: readonly Scope[] = ['statements/write', 'statements/read/mine', 'state', 'profile']
