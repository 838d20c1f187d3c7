import { listPackageItems, type PackageItem } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { sayMoveOn } from '../launches/package-state.tsx'
import { packageWords } from './words.ts'

/** Items of a package that are read at once. */
const PAGE_ITEMS = 100

/** The page of items on which an item is: positions count from 0, without gaps. */
export const itemsAround = (packageId: string, position: number) =>
  query(listPackageItems, { packageId, page: Math.floor(position / PAGE_ITEMS) + 1, limit: PAGE_ITEMS })

/** Returns a text in English, or else in the first language. */
const inEnglish = (texts: Readonly<Record<string, string>>): string =>
  Object.entries(texts).find(([tag]) => /^en(?:-|$)/i.test(tag))?.[1] ?? Object.values(texts)[0] ?? ''

export const titleOf = ({ title }: PackageItem): string => inEnglish(title).trim() || packageWords.lesson.untitled

/** Says what a student has to do to pass a unit. */
export const sayToPass = ({ moveOn, masteryScore }: PackageItem): string =>
  sayMoveOn({ moveOn: moveOn ?? null, masteryScore: masteryScore ?? null }) ?? packageWords.lesson.contentDecides

/** Whether a unit cannot be shown in a frame: it wants a window of its own, or is on another server. */
export const needsOwnWindow = ({ launchMethod, url = '' }: PackageItem): boolean =>
  launchMethod === 'OwnWindow' || /^[a-z][a-z0-9+.-]*:/i.test(url)
