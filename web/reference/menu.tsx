import { TextInput, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { ChevronRight, Menu, Search } from '../parts/icons.tsx'
import type { Section } from './article-types.ts'
import { DocLink } from './doc-link.tsx'
import { type Area, findEntries, type OperationEntry, type Reference } from './document.ts'
import { CHANGELOG_PAGE, ERRORS_PAGE, GUIDES, pathOf } from './guides.ts'
import { sections } from './load-article.ts'
import { reference } from './read.ts'
import classes from './reference.module.css'
import { findSections } from './search.ts'
import { siteWords } from './site-words.ts'

const { menu: say } = siteWords

export const Method = ({ method }: { readonly method: string }) => (
  <span className={classes.method} data-method={method}>
    {method}
  </span>
)

const current = (isChosen: boolean) => (isChosen ? { 'aria-current': 'page' as const } : {})

/** A link to an operation. There are hundreds, so it renders again only when it becomes active or inactive. */
const EntryLink = memo(
  ({ entry: { id, method, summary }, isChosen }: { readonly entry: OperationEntry; readonly isChosen: boolean }) => (
    <li>
      <DocLink href={`/docs/${id}`} className={classes.link} {...current(isChosen)}>
        <Method method={method} />
        <span className={classes.summary}>{summary}</span>
      </DocLink>
    </li>
  ),
)

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

/** A link on the top level of the menu, or below a group. */
const PageLink = ({ href, name, path }: { readonly href: string; readonly name: string; readonly path: string }) => (
  <DocLink href={href} className={`${classes.link} ${classes.pageLink}`} {...current(href === path)}>
    {name}
  </DocLink>
)

interface GroupProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onToggle: (title: string) => void
  readonly children: ReactNode
}

/** A part of the menu that folds. */
const Group = ({ title, isOpen, onToggle, children }: GroupProps) => (
  <div>
    <UnstyledButton className={classes.area} aria-expanded={isOpen} onClick={() => onToggle(title)}>
      {title}
      <ChevronRight size={16} aria-hidden className={classes.chevron} />
    </UnstyledButton>
    {isOpen && <ul className={classes.entries}>{children}</ul>}
  </div>
)

const GUIDE_PATH = /^\/docs(?:$|\/(?:guides\/.*|errors|changelog)$)/
const GUIDE_TITLES = GUIDES.map(({ title }) => title)

/**
 * The menu of the documentation: the guides or, on pages of the API reference, the operations by area. One search looks
 * through both. On a phone the menu is closed at first.
 */
export function SiteMenu() {
  const path = useRouterState({ select: ({ location }) => location.pathname.replace(/(.)\/$/, '$1') })
  const isReference = !GUIDE_PATH.test(path)
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const wanted = useDeferredValue(typed.trim())
  const [isOpen, setOpen] = useState(false)
  const [isSearching, setSearching] = useState(false)
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set(GUIDE_TITLES))
  const input = useRef<HTMLInputElement>(null)
  const scroll = useRef<HTMLElement>(null)
  // Guides need neither of the two until somebody searches.
  const api = useQuery({ ...reference(), enabled: isReference || isSearching }).data
  const texts = useQuery({ ...sections(), enabled: isSearching }).data
  const chosenArea = isReference ? api?.byId.get(path.slice('/docs/'.length))?.area : undefined

  useEffect(() => {
    if (chosenArea !== undefined) setOpened((all) => new Set(all).add(chosenArea))
  }, [chosenArea])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu
  useEffect(() => setOpen(false), [path])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen link appears when its group is opened
  useEffect(() => {
    const [list, link] = [scroll.current, scroll.current?.querySelector<HTMLElement>('[aria-current]')]
    // Set `scrollTop`, so that only the menu scrolls and not the page.
    if (list && link && (link.offsetTop < list.scrollTop || link.offsetTop > list.scrollTop + list.clientHeight - 40))
      list.scrollTop = link.offsetTop - list.clientHeight / 2
  }, [path, opened])
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      setOpen(true)
      input.current?.focus()
      input.current?.select()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && typed.trim() !== '') {
      const href = bestOf(find(api, texts, typed.trim()), api, typed.trim(), isReference)
      if (href !== undefined) void navigate({ href })
    }
    if (event.key !== 'Escape') return
    setTyped('')
    setOpen(false)
  }
  const toggle = useCallback(
    (name: string) =>
      setOpened((all) => {
        const next = new Set(all)
        if (!next.delete(name)) next.add(name)
        return next
      }),
    [],
  )
  const found = useMemo(() => find(api, texts, wanted), [api, texts, wanted])
  const part = (href: string, name: string, isChosen: boolean) => (
    <DocLink href={href} className={classes.part} {...(isChosen && { 'aria-current': 'true' })}>
      {name}
    </DocLink>
  )
  return (
    <div className={classes.aside} data-open={isOpen || undefined}>
      <nav aria-label={say.parts} className={classes.parts}>
        {part('/docs', say.guides, !isReference)}
        {part('/docs/reference', say.reference, isReference)}
      </nav>
      <TextInput
        ref={input}
        type="search"
        aria-label={say.search}
        placeholder={say.search}
        rightSection={<kbd className={classes.kbd}>/</kbd>}
        aria-keyshortcuts="/"
        leftSection={<Search size={16} aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onFocus={() => {
          setOpen(true)
          setSearching(true)
        }}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
      />
      <UnstyledButton className={classes.browse} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Menu size={16} aria-hidden />
        {say.open}
      </UnstyledButton>
      <div className={classes.found} role="status">
        {wanted === '' || !api || !texts ? '' : say.found(found.count)}
      </div>
      <nav aria-label={say.pages} className={classes.scroll} ref={scroll}>
        {wanted !== '' ? (
          <Results found={found} path={path} isReference={isReference} />
        ) : isReference ? (
          <>
            <PageLink href="/docs/reference" name={say.overview} path={path} />
            {api?.areas.map((area) => (
              <Group key={area.name} title={area.name} isOpen={opened.has(area.name)} onToggle={toggle}>
                <Entries area={area} path={path} />
              </Group>
            ))}
          </>
        ) : (
          <>
            <PageLink href="/docs" name={say.overview} path={path} />
            {GUIDES.map(({ title, pages }) => (
              <Group key={title} title={title} isOpen={opened.has(title)} onToggle={toggle}>
                {pages.map((page) => (
                  <li key={page.key}>
                    <PageLink href={pathOf(page)} name={page.name} path={path} />
                  </li>
                ))}
              </Group>
            ))}
            {[ERRORS_PAGE, CHANGELOG_PAGE].map((page) => (
              <PageLink key={page.key} href={pathOf(page)} name={page.name} path={path} />
            ))}
          </>
        )}
      </nav>
    </div>
  )
}

const Entries = ({ area, path }: { readonly area: Area; readonly path: string }) =>
  area.entries.map((entry) => <EntryLink key={entry.id} entry={entry} isChosen={path === `/docs/${entry.id}`} />)

interface Found {
  readonly areas: readonly Area[]
  readonly sections: readonly Section[]
  readonly count: number
}

function find(api: Reference | undefined, texts: readonly Section[] | undefined, typed: string): Found {
  const areas = typed === '' ? [] : findEntries(api?.areas ?? [], typed)
  const sections = findSections(texts ?? [], typed)
  return { areas, sections, count: areas.reduce((sum, { entries }) => sum + entries.length, sections.length) }
}

/** Returns the address that Enter opens: the operation with exactly this id, or else the first result. */
function bestOf(
  { areas, sections }: Found,
  api: Reference | undefined,
  typed: string,
  isReference: boolean,
): string | undefined {
  if (api?.byId.has(typed)) return `/docs/${typed}`
  const operation = areas[0] && `/docs/${areas[0].entries[0]!.id}`
  const section = sections[0]?.href
  return isReference ? (operation ?? section) : (section ?? operation)
}

interface ResultsProps {
  readonly found: Found
  readonly path: string
  readonly isReference: boolean
}

/** Lists what the search has found. Results of the part of the documentation that is open come first. */
function Results({ found: { areas, sections }, path, isReference }: ResultsProps) {
  const guides = sections.length > 0 && (
    <div key="guides">
      <p className={classes.area}>{say.guideResults}</p>
      <ul className={classes.entries}>
        {sections.map(({ href, title, page }) => (
          <li key={href}>
            <DocLink href={href} className={`${classes.link} ${classes.pageLink}`}>
              {title}
              {title !== page && <span className={classes.within}>{page}</span>}
            </DocLink>
          </li>
        ))}
      </ul>
    </div>
  )
  const operations = areas.map((area) => (
    <div key={area.name}>
      <p className={classes.area}>{area.name}</p>
      <ul className={classes.entries}>
        <Entries area={area} path={path} />
      </ul>
    </div>
  ))
  return isReference ? [operations, guides] : [guides, operations]
}
