import { Text } from '@mantine/core'
import type { KindFieldsProps } from './fields-props.ts'

export const RubricFields = ({ errors }: KindFieldsProps) => <Text c="red">{errors.rubric}</Text>
