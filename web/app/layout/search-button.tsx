import { UnstyledButton } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Search } from '../../parts/icons.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { appWords } from '../words.ts'
import classes from './menu.module.css'

const SearchDialog = onDemand(async () => (await import('./search.tsx')).SearchDialog)

/** A button that opens the search. Ctrl-K (⌘K) does the same on every page. */
export function SearchButton() {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const close = () => setOpen(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setTyped('')
      setOpen((before) => !before)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (!isOpen) return
    // The search is loaded when it is first opened, and takes the focus a moment later. Keys until then count as well.
    const onKey = (event: KeyboardEvent) => {
      const isInDialog = event.target instanceof Element && event.target.closest('[role=dialog]') !== null
      if (isInDialog || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (event.key.length === 1) setTyped((before) => before + event.key)
      else if (event.key === 'Backspace') setTyped((before) => before.slice(0, -1))
      else if (event.key === 'Escape') setOpen(false)
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [isOpen])
  return (
    <>
      <UnstyledButton
        className={classes.button}
        aria-label={appWords.finder.open}
        aria-keyshortcuts="Control+K Meta+K"
        title={appWords.finder.hint}
        onClick={() => {
          setTyped('')
          setOpen(true)
        }}
      >
        <Search size={16} aria-hidden />
        <span className={classes.label}>{appWords.finder.title}</span>
      </UnstyledButton>
      {isOpen && <SearchDialog typed={typed} onType={setTyped} onClose={close} />}
    </>
  )
}
