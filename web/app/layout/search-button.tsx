import { UnstyledButton } from '@mantine/core'
import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { appWords } from '../words.ts'
import classes from './menu.module.css'

const SearchDialog = lazy(async () => ({ default: (await import('./search.tsx')).SearchDialog }))

/** A button that opens the search. Ctrl-K (⌘K) does the same on every page. */
export function SearchButton() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setOpen((before) => !before)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <UnstyledButton
        className={classes.button}
        aria-label={appWords.finder.open}
        aria-keyshortcuts="Control+K Meta+K"
        title={appWords.finder.hint}
        onClick={() => setOpen(true)}
      >
        <Search size={16} aria-hidden />
        <span className={classes.label}>{appWords.finder.title}</span>
      </UnstyledButton>
      {isOpen && (
        <Suspense>
          <SearchDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
