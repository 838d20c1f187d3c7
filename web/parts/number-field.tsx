import { TextInput, type TextInputProps } from '@mantine/core'

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  /** The number, or an empty string if the field is empty. */
  readonly value?: number | string
  readonly onChange?: (value: number | '') => void
}

/** The browser's native field for numbers. */
export const NumberField = ({ onChange, ...rest }: NumberFieldProps) => (
  <TextInput
    type="number"
    step="any"
    onChange={({ currentTarget: { valueAsNumber } }) => onChange?.(Number.isNaN(valueAsNumber) ? '' : valueAsNumber)}
    {...rest}
  />
)
