import { useBlocker } from '@tanstack/react-router'
import { createContext, useContext, useEffect, useRef } from 'react'
import { words } from './words.ts'

type HasChanges = () => boolean
type Forms = Set<HasChanges>

/** All forms on the page. */
const forms: Forms = new Set()
const haveChanges = (these: Forms): boolean => [...these].some((hasChanges) => hasChanges())

/** The forms inside the nearest dialog, so that closing the dialog can ask as well. */
export const DialogForms = createContext<Forms | undefined>(undefined)

/** Returns true if none of the forms has changes, or if the person agrees to lose them. */
export const mayDiscard = (these: Forms, question = words.form.discard): boolean =>
  !haveChanges(these) || confirm(question)

/**
 * Protects the changes of a form: leaving the page, or closing the dialog around the form, asks first. Every form that
 * holds something a person wrote calls this; `house.test.ts` checks it. After a save that leads to another page,
 * navigate with `ignoreBlocker`.
 */
export function useUnsaved(hasChanges: HasChanges): void {
  const inDialog = useContext(DialogForms)
  const latest = useRef(hasChanges)
  latest.current = hasChanges
  useEffect(() => {
    const ask = () => latest.current()
    for (const group of [forms, inDialog]) group?.add(ask)
    return () => {
      for (const group of [forms, inDialog]) group?.delete(ask)
    }
  }, [inDialog])
}

/** The same as a component, for a form inside a `Dialog` that is part of the same component. */
export function Unsaved({ hasChanges }: { readonly hasChanges: HasChanges }) {
  useUnsaved(hasChanges)
  return null
}

/** Asks before the person leaves a page with unsaved changes. A change of the query alone keeps the page's forms. */
export function UnsavedGuard() {
  useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && !mayDiscard(forms, words.form.leave),
    enableBeforeUnload: () => haveChanges(forms),
  })
  return null
}
