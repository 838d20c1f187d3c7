import type { GrowthCast } from './growth-cast.ts'
import type { LoadPart, LoadPlan } from './load.ts'

export type Load = Pick<LoadPlan, 'method' | 'path' | 'send'>

/** An operation whose growth is measured. */
export interface GrowthOperation {
  readonly group: string
  readonly name: string
  /** Returns the requests of a round. Round 0 warms up. */
  plan(cast: GrowthCast, round: number): Load | Promise<Load>
}

export const endless = (method: string, path: string, parts: readonly LoadPart[]): Load => ({
  ...{ method, path },
  send: { kind: 'queue', parts, isEndless: true },
})
export const query = (path: string, fields: Readonly<Record<string, unknown>>): string =>
  `${path}?${Object.entries(fields)
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
    )
    .join('&')}`

export type Fields = Readonly<Record<string, unknown>>

/** Sends each request once. */
export const once = (method: string, path: string, parts: readonly LoadPart[]): Load => ({
  ...{ method, path },
  send: { kind: 'queue', parts, isEndless: false },
})
