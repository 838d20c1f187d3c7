import type { Plugin } from '../../api/operations.ts'

export type Kind = Plugin['kind']
export type Purpose = Plugin['addresses'][number]['purpose']
export type Permission = Plugin['permissions'][number]['permission']

/** What plugins of a kind are called for, and what they may ask for. */
export const PURPOSES: Readonly<Record<Kind, readonly Purpose[]>> = {
  ai: ['capabilities', 'candidates'],
  ato: ['request', 'distributions'],
}
export const PERMISSIONS: Readonly<Record<Kind, readonly Permission[]>> = {
  ai: ['user-records', 'badges', 'skills', 'mission-planner'],
  ato: ['ato'],
}
