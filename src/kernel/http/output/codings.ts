import type { HttpRequest } from '../request.ts'

/** The codings that answers are compressed with, the smaller one first. */
export const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

export const isAccepted = ({ headers }: HttpRequest, coding: Coding): boolean =>
  new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(?!\\.0*[1-9]))`, 'i').test(String(headers['accept-encoding'] ?? ''))

/** What an answer depends on that comes in one coding or another. */
export const varyByCoding = ({ headers }: HttpRequest): string =>
  headers.origin === undefined ? 'Accept-Encoding' : 'Origin, Accept-Encoding'
