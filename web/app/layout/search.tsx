import { Kbd, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { linkOptions, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useHere } from '../../api/here.ts'
import { type Found, findAnything } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/states.tsx'
import { appWords } from '../words.ts'
import { AREAS } from './areas.ts'
import classes from './search.module.css'

const { finder: say } = appWords
const REST_MS = 200

/** Returns the page that a search result links to. */
function pageOf({ kind, id, within }: Found) {
  switch (kind) {
    case 'class':
      return linkOptions({ to: '/dashboard/classes/$classId', params: { classId: id } })
    case 'lesson':
      return linkOptions({ to: '/dashboard/classes/$classId', params: { classId: within ?? '' } })
    case 'course':
      return linkOptions({ to: '/dashboard/courses/$courseId', params: { courseId: id } })
    case 'student':
      return linkOptions({
        to: '/dashboard/classes/$classId/students/$studentId',
        params: { classId: within ?? '', studentId: id },
      })
    case 'friend':
      return linkOptions({ to: '/account/friends' })
    case 'plan':
      return linkOptions({ to: '/planner/plans/$planId', params: { planId: id } })
    case 'app':
      return linkOptions({ to: '/console/apps/$clientId', params: { clientId: id } })
    case 'plugin':
      return linkOptions({ to: '/console/plugins/$clientId', params: { clientId: id } })
    case 'organisation':
      return linkOptions({ to: '/console/organisations/$organisation', params: { organisation: id } })
    case 'person':
      return linkOptions({ to: '/admin/people/$handle', params: { handle: id } })
  }
}

interface SearchResult {
  readonly key: string
  readonly group: string
  readonly name: string
  readonly about: string
  readonly go: () => void
}

interface SearchDialogProps {
  /** The text in the field. The button keeps it, because people type before this code is loaded. */
  readonly typed: string
  readonly onType: (text: string) => void
  readonly onClose: () => void
}

/**
 * Searches everything that the person may see, including the pages they can use. It follows the ARIA pattern of a
 * combobox: a text field with a list below it.
 */
export function SearchDialog({ typed, onType, onClose }: SearchDialogProps) {
  const id = useId()
  const navigate = useNavigate()
  const own = useHere().person?.areas ?? []
  const text = useRested(typed.trim())
  const [chosen, setChosen] = useState(0)
  const found = useQuery({
    ...query(findAnything, { text }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  const pages = AREAS.filter(({ id }) => id === 'account' || own.includes(id)).flatMap(({ label: area, pages }) =>
    pages
      .filter(({ label }) => `${label} ${area}`.toLowerCase().includes(typed.trim().toLowerCase()))
      .map(
        ({ to, label }): SearchResult => ({
          key: to,
          group: say.pages,
          name: label,
          about: area,
          go: () => void navigate({ to }),
        }),
      ),
  )
  const things = (typed.trim() === '' ? [] : (found.data ?? [])).map(
    (one): SearchResult => ({
      key: [one.kind, one.within, one.id].join(' '),
      group: say.kinds[one.kind],
      name: one.name,
      about: one.about,
      go: () => void navigate(pageOf(one)),
    }),
  )
  const entries = [...things, ...pages]
  const at = Math.min(chosen, entries.length - 1)
  const optionId = (place: number) => `${id}-${place}`
  const open = (entry: SearchResult | undefined) => {
    if (!entry) return
    onClose()
    entry.go()
  }
  useEffect(() => {
    // The braces matter: in newer browsers scrollIntoView returns a promise, which an effect must not return.
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 8, PageUp: at - 8 }[event.key]
    if (to !== undefined) {
      const last = entries.length - 1
      // At either end of the list, moving further wraps around to the other end.
      setChosen(to < 0 ? (at === 0 ? last : 0) : to > last ? (at === last ? 0 : last) : to)
    } else if (event.key === 'Enter') open(entries[at])
    else return
    event.preventDefault()
  }
  const isSearching = typed.trim() !== text || found.isFetching
  return (
    <Dialog isOpen onClose={onClose} title={say.title}>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={say.label}
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(entries.length > 0 && { 'aria-activedescendant': optionId(at) })}
        placeholder={say.label}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={typed}
        onFocus={({ currentTarget: field }) => field.setSelectionRange(field.value.length, field.value.length)}
        onChange={(event) => {
          onType(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      {found.error && <Problem title={say.failed} error={found.error} />}
      <div id={`${id}-list`} role="listbox" aria-label={say.results} className={classes.list}>
        {groupsOf(entries).map(([group, members]) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, which HTML has in select alone
          <div key={group} role="group" aria-label={group}>
            <div className={classes.group} aria-hidden>
              {group}
            </div>
            {members.map(([entry, place]) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
              <div
                key={entry.key}
                id={optionId(place)}
                role="option"
                aria-selected={place === at}
                className={classes.option}
                onClick={() => open(entry)}
                onMouseMove={() => setChosen(place)}
              >
                <span className={classes.name}>{entry.name}</span>
                <span className={classes.about}>{entry.about}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      {entries.length === 0 && !isSearching && (
        <Text c="dimmed" size="sm" py="md">
          {say.nothing}
        </Text>
      )}
      <VisuallyHidden role="status">{isSearching ? '' : say.count(entries.length)}</VisuallyHidden>
      <Text size="xs" c="dimmed" mt="sm" visibleFrom="sm" aria-hidden>
        <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> {say.keysMove} <Kbd size="xs">↵</Kbd> {say.keysOpen}{' '}
        <Kbd size="xs">Esc</Kbd> {say.keysClose}
      </Text>
    </Dialog>
  )
}

/** Returns the text once the person has paused typing. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const rest = setTimeout(() => setRested(text), REST_MS)
    return () => clearTimeout(rest)
  }, [text])
  return rested
}

/** Groups search results, and keeps the index of each in the whole list. */
const groupsOf = (entries: readonly SearchResult[]): [group: string, members: [SearchResult, number][]][] => [
  ...Map.groupBy(
    entries.map((entry, place): [SearchResult, number] => [entry, place]),
    ([{ group }]) => group,
  ),
]
