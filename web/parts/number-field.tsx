import { TextInput, type TextInputProps } from '@mantine/core'

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  /** An empty field is an empty string. */
  readonly value?: number | string
  readonly onChange?: (value: number | '') => void
}

/** A number in the browser's native field. */
export const NumberField = ({ onChange, ...rest }: NumberFieldProps) => (
  <TextInput
    type="number"
    step="any"
    onChange={({ currentTarget: { valueAsNumber } }) => onChange?.(Number.isNaN(valueAsNumber) ? '' : valueAsNumber)}
    {...rest}
  />
)
