import { createHmac } from 'node:crypto'
import { basicOf, type Hosted } from '../plugins/hosted.ts'

const USER_AGENT = 'Groundschool'

interface Signed {
  readonly webhookId: string
  readonly at: Date
  readonly body: string
}

/** What the log shows of the headers of a request. The others are secret, or made from secrets. */
export const shownHeaders = ({ webhookId, at }: Omit<Signed, 'body'>): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': USER_AGENT,
  'webhook-id': webhookId,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
})

/** Basic, and beside it a signature by each secret (standardwebhooks.com): a plugin may check either, and knows one of the secrets at any time. */
export function signedHeaders(hosted: Hosted, what: Signed): Record<string, string> {
  const headers = shownHeaders(what)
  const text = `${what.webhookId}.${headers['webhook-timestamp']}.${what.body}`
  const sign = (secret: string) => `v1,${createHmac('sha256', secret).update(text).digest('base64')}`
  return { ...headers, authorization: basicOf(hosted), 'webhook-signature': hosted.secrets.map(sign).join(' ') }
}
