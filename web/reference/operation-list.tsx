import { TextInput, UnstyledButton } from '@mantine/core'
import { useMatch, useNavigate } from '@tanstack/react-router'
import { ChevronRight, Search } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { findEntries, type OperationEntry, type Reference } from './document.ts'
import classes from './reference.module.css'
import { referenceWords } from './words.ts'

const { list: say } = referenceWords

export const Method = ({ method }: { readonly method: string }) => (
  <span className={classes.method} data-method={method}>
    {method}
  </span>
)

/** Tells whether a click has no modifier key. Clicks with one open a new tab or window. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey

interface EntryLinkProps {
  readonly entry: OperationEntry
  readonly isChosen: boolean
  readonly onChoose: (id: string) => void
}

/**
 * A link to an operation. There are hundreds, so it is a memoised `<a>` and not a router link: it renders again only
 * when it becomes active or inactive.
 */
const EntryLink = memo(({ entry: { id, method, summary }, isChosen, onChoose }: EntryLinkProps) => (
  <li>
    <a
      href={`/docs/${id}`}
      className={classes.link}
      {...(isChosen && { 'aria-current': 'page' as const })}
      onClick={(event) => {
        if (!isPlain(event)) return
        event.preventDefault()
        onChoose(id)
      }}
    >
      <Method method={method} />
      <span className={classes.summary}>{summary}</span>
    </a>
  </li>
))

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

/** Lists all operations by area, with a search. On a phone the list is closed at first. */
export function OperationList({ reference }: { readonly reference: Reference }) {
  const operationId = useMatch({ from: '/reference/docs/$operationId', shouldThrow: false })?.params.operationId
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const wanted = useDeferredValue(typed.trim())
  const [isOpen, setOpen] = useState(false)
  const chosenArea = reference.byId.get(operationId ?? '')?.area
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set())
  const input = useRef<HTMLInputElement>(null)
  const scroll = useRef<HTMLElement>(null)
  const areas = useMemo(() => findEntries(reference.areas, wanted), [reference, wanted])
  const count = areas.reduce((sum, { entries }) => sum + entries.length, 0)

  useEffect(() => {
    if (chosenArea !== undefined) setOpened((all) => new Set(all).add(chosenArea))
  }, [chosenArea])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => {
    setOpen(false)
    const [list, link] = [scroll.current, scroll.current?.querySelector<HTMLElement>('[aria-current]')]
    // Set `scrollTop`, so that only the list scrolls and not the page.
    if (list && link && (link.offsetTop < list.scrollTop || link.offsetTop > list.scrollTop + list.clientHeight - 40))
      list.scrollTop = link.offsetTop - list.clientHeight / 2
  }, [operationId, opened])
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

  const choose = useMemo(
    () => (id: string) => void navigate({ to: '/docs/$operationId', params: { operationId: id } }),
    [navigate],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    const first = findEntries(reference.areas, typed)[0]?.entries[0]
    if (event.key === 'Enter' && typed.trim() !== '' && first) choose(first.id)
    if (event.key !== 'Escape') return
    setTyped('')
    setOpen(false)
  }
  const toggle = (name: string) =>
    setOpened((all) => {
      const next = new Set(all)
      if (!next.delete(name)) next.add(name)
      return next
    })
  return (
    <div className={classes.aside} data-open={isOpen || undefined}>
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
        onFocus={() => setOpen(true)}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
      />
      <div className={classes.found} role="status">
        {wanted === '' ? '' : say.found(count)}
      </div>
      <nav aria-label={say.label} className={classes.scroll} ref={scroll}>
        {wanted === '' && (
          <a
            href="/docs"
            className={`${classes.link} ${classes.overview}`}
            {...(operationId === undefined && { 'aria-current': 'page' as const })}
            onClick={(event) => {
              if (!isPlain(event)) return
              event.preventDefault()
              void navigate({ to: '/docs' })
            }}
          >
            {say.overview}
          </a>
        )}
        {areas.map(({ name, entries }) => {
          const isShown = wanted !== '' || opened.has(name)
          return (
            <div key={name}>
              <UnstyledButton className={classes.area} aria-expanded={isShown} onClick={() => toggle(name)}>
                {name}
                <ChevronRight size={16} aria-hidden className={classes.chevron} />
              </UnstyledButton>
              {isShown && (
                <ul className={classes.entries}>
                  {entries.map((entry) => (
                    <EntryLink key={entry.id} entry={entry} isChosen={entry.id === operationId} onChoose={choose} />
                  ))}
                </ul>
              )}
            </div>
          )
        })}
      </nav>
    </div>
  )
}
