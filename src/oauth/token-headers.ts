import type { TokenPair } from '../sessions/sessions.ts'
import { sayDuration } from './signin.ts'

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
