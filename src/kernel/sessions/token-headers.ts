import type { TokenPair } from './sessions.ts'

/** A lifetime as clients of this interface read it: `1d`, `12h`. */
export const sayDuration = (seconds: number): string =>
  seconds % 86_400 === 0 ? `${seconds / 86_400}d` : `${seconds / 3600}h`

/** New tokens as response headers. Old clients look for one spelling or the other. */
export const tokenHeaders = ({ accessToken, refreshToken, expiresInSeconds }: TokenPair): Record<string, string> => ({
  access_token: accessToken,
  refresh_token: refreshToken,
  accesstoken: accessToken,
  refreshtoken: refreshToken,
  token_type: 'Bearer',
  expires_in: sayDuration(expiresInSeconds),
})

/** What they are, for the description of an operation that sends them. */
export const TOKEN_HEADERS = {
  access_token: 'The access token (also as accesstoken)',
  refresh_token: 'The refresh token (also as refreshtoken)',
  token_type: 'Bearer',
  expires_in: 'Lifetime of the access token, such as 1d',
}
