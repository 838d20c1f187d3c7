import { SCOPE_WORDS } from './consent.ts'

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/**
 * Texts of `parts`, and texts that several areas share. Each area has its own texts in `words.ts`. A translation would
 * be another object of the same type.
 */
export const words = {
  product: 'Groundschool',
  form: {
    save: 'Save',
    cancel: 'Cancel',
    undo: 'Undo',
    more: (name: string) => `More about ${name}`,
    name: 'Name',
    missingName: 'Enter a name',
    type: (word: string) => `Enter ${word} to confirm`,
    danger: 'Danger zone',
    actions: 'Actions',
    unsaved: 'Unsaved changes',
    leave: 'Leave this page? Your changes won’t be saved.',
    discard: 'Discard your changes?',
    /** Title of the message if the action of a button fails: "Couldn’t close class". */
    failed: (go: string) => `Couldn’t ${go.charAt(0).toLowerCase()}${go.slice(1)}`,
    fault: (must: string) => `Must ${must}`,
    lineFault: (line: number, must: string) => `Line ${line} must ${must}`,
    reason: 'Reason',
    missingReason: 'Enter a reason',
    nothing: 'No results',
    nothingText: 'Change or clear the filters.',
  },
  filters: { label: 'Filters', apply: 'Apply', clear: 'Clear filters', all: 'All' },
  pager: {
    total: (count: number) => `${count} in total`,
    page: (number: number) => `Page ${number}`,
    next: 'Next page',
    previous: 'Previous page',
  },
  turn: { newest: 'Newest', older: 'Older', label: 'Pages of this list' },
  states: {
    loading: 'Loading',
    failed: 'Something went wrong',
    loadFailed: 'Couldn’t load this page',
    again: 'Try again',
    close: 'Close',
    quote: (code: number, requestId: string | undefined) =>
      requestId === undefined ? `Error ${code}` : `Error ${code}, request ${requestId}`,
    copyQuote: 'Copy error code and request ID',
    copied: 'Copied',
    copy: (what: string) => `Copy ${what}`,
    moreThan: (shown: number, total: number) => `Showing ${shown} of ${total}`,
    lost: 'Connection lost. Reconnecting…',
  },
  time: {
    never: 'never',
    justNow: 'just now',
    minutes: (count: number) => plural(count, 'minute'),
    none: '–',
  },
  allow: {
    asks: Object.values(SCOPE_WORDS),
    never:
      'It never sees your password or what you do in other apps. You can revoke its access at any time in your account, under Security.',
    deny: 'Not now',
  },
}
