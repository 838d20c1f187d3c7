import { Text } from '@mantine/core'
import type { KindFieldsProps } from './fields-props.ts'

export const QuizFields = ({ errors }: KindFieldsProps) => <Text c="red">{errors.quiz}</Text>
