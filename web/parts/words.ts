import { SEES } from './consent.ts'

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/**
 * Texts of `parts`, and texts that several areas share. Each area has its own texts in `words.ts`. A translation would
 * be another object of the same type.
 */
export const words = {
  product: 'Groundschool',
  form: {
    save: 'Save',
    saved: 'Saved',
    cancel: 'Cancel',
    undo: 'Undo',
    more: (name: string) => `More about ${name}`,
    name: 'Name',
    missingName: 'Give it a name',
    type: (word: string) => `Type ${word} to go on`,
    danger: 'Danger zone',
    actions: 'Actions',
    unsaved: 'Changes are not saved yet',
    leave: 'Leave this page? Your changes are not saved.',
    discard: 'Discard your changes?',
    fault: (must: string) => `It must ${must}`,
    lineFault: (line: number, must: string) => `Line ${line} must ${must}`,
    reason: 'Reason',
    missingReason: 'Say why',
    nothing: 'Nothing matches',
    nothingText: 'Change the filters, or clear them.',
  },
  filters: { label: 'Filters', apply: 'Apply', clear: 'Clear filters', all: 'All' },
  pager: {
    total: (count: number) => `${count} in all`,
    page: (number: number) => `Page ${number}`,
    next: 'Next page',
    previous: 'Previous page',
  },
  turn: { newest: 'Back to the newest', older: 'Older', label: 'Pages of this list' },
  states: {
    loading: 'Loading',
    problem: 'This did not work',
    again: 'Try again',
    close: 'Close',
    quote: (code: number, requestId: string | undefined) =>
      requestId === undefined ? `Error ${code}` : `Error ${code}, request ${requestId}`,
    copyQuote: 'Copy code and request id',
    copied: 'Copied',
    copy: (what: string) => `Copy ${what}`,
    moreThan: (shown: number, total: number) => `The first ${shown} of ${total}`,
    lost: 'The live connection is lost; it comes back by itself.',
  },
  time: {
    never: 'never',
    justNow: 'just now',
    minutes: (count: number) => plural(count, 'minute'),
    none: '–',
  },
  allow: {
    sees: SEES,
    never:
      'It never sees your password, or what you do in other apps. You can withdraw this at any time in your account.',
    deny: 'Not now',
  },
}
