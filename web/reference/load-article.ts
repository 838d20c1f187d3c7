import { notFound } from '@tanstack/react-router'
import { operation } from '../api/call.ts'
import { load } from '../api/load.ts'
import { query } from '../api/query.ts'
import type { Article, Section } from './article-types.ts'
import { SECTIONS_PATH, SITE_PAGES } from './guides.ts'

type Nothing = Record<never, never>
const STALE_NEVER = { staleTime: Number.POSITIVE_INFINITY }

/** Returns the query for the content of a page. */
export const articleOf = (key: string) => ({
  ...query(operation<Nothing, Article>(`article ${key}`, 'GET', `/docs/${key}.json`), {}),
  ...STALE_NEVER,
})

/** Returns the query for what the search looks through. */
export const sections = () => ({
  ...query(operation<Nothing, readonly Section[]>('sections', 'GET', SECTIONS_PATH), {}),
  ...STALE_NEVER,
})

/** Loads the content of a page, if there is such a page. */
export function loadArticle(key: string) {
  if (!SITE_PAGES.some((page) => page.key === key)) throw notFound()
  return load({ article: articleOf(key) })
}
