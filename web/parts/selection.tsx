import { Alert, Button, Checkbox, Group, List, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import type { BulkResult } from '../api/query.ts'
import { CircleAlert } from './icons.tsx'
import classes from './selection.module.css'
import type { SelectableRow, SelectionBoxes } from './selection-context.ts'
import { selectionWords as say } from './selection-words.ts'

export interface Selection extends SelectionBoxes {
  /** Ids of the rows on this page that are selected, in the order of the list. */
  readonly chosen: readonly string[]
  readonly isAll: boolean
  /** Selects or deselects a row; with `isRange`, also all rows between it and the row that was changed last. */
  readonly set: (id: string, isChosen: boolean, isRange: boolean) => void
  readonly setAll: (isChosen: boolean) => void
  readonly clear: () => void
}

/** Keeps which rows are selected. Rows that leave the page are no longer part of the selection. */
export function useSelection(ids: readonly string[]): Selection {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  const chosen = ids.filter((id) => kept.has(id))
  const selection: SelectionState = {
    chosen,
    isAll: ids.length > 0 && chosen.length === ids.length,
    has: (id) => kept.has(id),
    set: (id, isChosen, isRange) => {
      const [from, to] = [ids.indexOf(isRange ? (last.current ?? id) : id), ids.indexOf(id)].sort((a, b) => a - b)
      const range = new Set(from! < 0 ? [id] : ids.slice(from, to! + 1))
      last.current = id
      setKept(new Set(isChosen ? [...chosen, ...range] : chosen.filter((one) => !range.has(one))))
    },
    setAll: (isChosen) => setKept(new Set(isChosen ? ids : [])),
    clear: () => setKept(new Set()),
  }
  return {
    ...selection,
    headBox: <SelectAll selection={selection} />,
    boxOf: (row) => <SelectOne selection={selection} {...row} />,
  }
}

type SelectionState = Omit<Selection, 'headBox' | 'boxOf'>

interface SelectOneProps extends SelectableRow {
  readonly selection: SelectionState
}

/** The checkbox of a row. */
const SelectOne = ({ selection, id, name }: SelectOneProps) => (
  <Checkbox
    aria-label={say.one(name)}
    checked={selection.has(id)}
    onChange={(event) =>
      selection.set(id, event.currentTarget.checked, (event.nativeEvent as Partial<MouseEvent>).shiftKey === true)
    }
  />
)

/** The checkbox in the head of a table. */
const SelectAll = ({ selection }: { readonly selection: SelectionState }) => (
  <Checkbox
    aria-label={say.all}
    checked={selection.isAll}
    indeterminate={selection.chosen.length > 0 && !selection.isAll}
    onChange={(event) => selection.setAll(event.currentTarget.checked)}
  />
)

interface SelectionBarProps {
  readonly selection: Selection
  /** Buttons for the selected rows; they are only shown while something is selected. */
  readonly children: ReactNode
}

/** Says how many rows are selected, and offers their actions. It is always there, so that no row moves. */
export const SelectionBar = ({ selection: { chosen, clear }, children }: SelectionBarProps) => (
  <Group role="group" aria-label={say.label} className={classes.bar}>
    <Text size="sm" role="status" {...(chosen.length === 0 ? { c: 'dimmed' } : { fw: 600 })}>
      {chosen.length === 0 ? say.none : say.count(chosen.length)}
    </Text>
    {chosen.length > 0 && (
      <>
        {children}
        <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
          {say.clear}
        </Button>
      </>
    )}
  </Group>
)

/** Names the selected items whose change failed, and says why. */
export const BulkFailures = ({ result }: { readonly result: BulkResult | undefined }) =>
  result !== undefined &&
  result.failed.length > 0 && (
    <Alert
      color="red"
      icon={<CircleAlert size={18} aria-hidden />}
      title={say.failed(result.failed.length, result.failed.length + result.done)}
      role="alert"
    >
      <List size="sm">
        {result.failed.map(({ name, message }) => (
          <List.Item key={name}>
            {name}: {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
