import type { HttpRequest } from '../request.ts'

/** Content codings in order of preference. Brotli comes first, because its results are smaller. */
export const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

export const isAccepted = ({ headers }: HttpRequest, coding: Coding): boolean =>
  new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(?!\\.0*[1-9]))`, 'i').test(String(headers['accept-encoding'] ?? ''))

/** Returns the `Vary` header for a response that may be compressed. */
export const varyByCoding = ({ headers }: HttpRequest): string =>
  headers.origin === undefined ? 'Accept-Encoding' : 'Origin, Accept-Encoding'
