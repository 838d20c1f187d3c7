import type { Plugin } from '../../api/operations.ts'

export type Kind = Plugin['kind']
export type Purpose = Plugin['addresses'][number]['purpose']
export type Permission = Plugin['permissions'][number]['permission']

/** The purposes for which plugins of each kind are called. */
export const PURPOSES: Readonly<Record<Kind, readonly Purpose[]>> = {
  ai: ['capabilities', 'candidates'],
  ato: ['request', 'distributions'],
}
/** The permissions that plugins of each kind may have. */
export const PERMISSIONS: Readonly<Record<Kind, readonly Permission[]>> = {
  ai: ['user-records', 'badges', 'skills', 'mission-planner'],
  ato: ['ato'],
}
