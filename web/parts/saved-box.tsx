import { Checkbox } from '@mantine/core'
import { useState } from 'react'

interface Props {
  readonly label: string
  readonly isOn: boolean
  readonly isDisabled: boolean
  /** Calls back when it is saved, or cannot be. */
  readonly save: (isOn: boolean, onSettled: () => void) => void
}

/** A checkbox that is saved at once. What was asked for is kept here: a mutation tells its state a moment later, and until then the box would turn back. */
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
