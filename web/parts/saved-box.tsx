import { Checkbox } from '@mantine/core'
import { useState } from 'react'

interface Props {
  readonly label: string
  readonly isOn: boolean
  readonly isDisabled: boolean
  /** Saves the new value. Must call `onSettled` when the write has succeeded or failed. */
  readonly save: (isOn: boolean, onSettled: () => void) => void
}

/**
 * A checkbox that is saved immediately. It shows the new value during the write; otherwise it would flip back until
 * `isOn` changes.
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
