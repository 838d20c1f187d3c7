import { createHmac, hash } from 'node:crypto'

export interface SigningKeys {
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}

/** Hash of an empty payload. */
export const EMPTY_SHA256 = hash('sha256', '')

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Percent-encodes everything but unreserved characters, as signatures require. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** Encodes a path once, as S3 does; other AWS services encode it twice. */
export const encodePath = (path: string): string => path.split('/').map(encode).join('/')

/**
 * Returns the headers that sign a request to S3 (AWS Signature Version 4). All given headers are signed. `path` is
 * encoded and has no query.
 */
export function signedHeaders(
  { region, accessKey, secretKey }: SigningKeys,
  what: {
    readonly method: string
    readonly host: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly sha256: string
    readonly at: Date
  },
): Record<string, string> {
  const time = what.at.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const headers: Record<string, string> = {
    ...what.headers,
    host: what.host,
    'x-amz-content-sha256': what.sha256,
    'x-amz-date': time,
  }
  const names = Object.keys(headers).sort()
  const canonical = [
    what.method,
    what.path,
    '',
    ...names.map((name) => `${name}:${headers[name]!.trim()}`),
    '',
    names.join(';'),
    what.sha256,
  ].join('\n')
  const key = [time.slice(0, 8), region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretKey}`)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n')).toString('hex')
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`,
  }
}
