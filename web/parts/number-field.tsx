import { TextInput, type TextInputProps } from '@mantine/core'

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  /** Nothing is an empty string. */
  readonly value?: number | string
  readonly onChange?: (value: number | '') => void
}

/** A number, in the browser's own field. */
export const NumberField = ({ onChange, ...rest }: NumberFieldProps) => (
  <TextInput
    type="number"
    step="any"
    onChange={({ currentTarget: { valueAsNumber } }) => onChange?.(Number.isNaN(valueAsNumber) ? '' : valueAsNumber)}
    {...rest}
  />
)
