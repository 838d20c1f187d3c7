export const selectionWords = {
  label: 'Selection',
  count: (count: number) => `${count} selected`,
  none: 'None selected',
  all: 'Select all on this page',
  one: (name: string) => `Select ${name}`,
  clear: 'Clear selection',
  failed: (failed: number, total: number) => `${failed} of ${total} failed`,
}
