import type { TokenPair } from './sessions.ts'

/** Formats a lifetime for this API: `1d`, `12h`. */
export const sayDuration = (seconds: number): string =>
  seconds % 86_400 === 0 ? `${seconds / 86_400}d` : `${seconds / 3600}h`

/** Returns new tokens as response headers, under both of the names that old clients look for. */
export const tokenHeaders = ({ accessToken, refreshToken, expiresInSeconds }: TokenPair): Record<string, string> => ({
  access_token: accessToken,
  refresh_token: refreshToken,
  accesstoken: accessToken,
  refreshtoken: refreshToken,
  token_type: 'Bearer',
  expires_in: sayDuration(expiresInSeconds),
})

/** Descriptions of the token headers, for OpenAPI. */
export const TOKEN_HEADERS = {
  access_token: 'The access token (also as accesstoken)',
  refresh_token: 'The refresh token (also as refreshtoken)',
  token_type: 'Bearer',
  expires_in: 'Lifetime of the access token, such as 1d',
}
