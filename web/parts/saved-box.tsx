import { Checkbox } from '@mantine/core'
import { useState } from 'react'

interface Props {
  readonly label: string
  readonly isOn: boolean
  readonly isDisabled: boolean
  /** Must call `onSettled` when the write has succeeded or failed. */
  readonly save: (isOn: boolean, onSettled: () => void) => void
}

/**
 * A checkbox that is saved immediately. It keeps the new value itself, because `isOn` changes only after the write and
 * the box would flip back until then.
 */
export function SavedBox({ label, isOn, isDisabled, save }: Props) {
  const [asked, setAsked] = useState<boolean>()
  return (
    <Checkbox
      label={label}
      checked={asked ?? isOn}
      disabled={isDisabled}
      onChange={({ currentTarget: { checked } }) => {
        setAsked(checked)
        save(checked, () => setAsked(undefined))
      }}
    />
  )
}
