/**
 * Small edits of a source file, as an unlucky hand would make them: one operator, bound, constant or statement each.
 *
 * The usual mutators (DeMillo, Lipton & Sayward 1978; Stryker's set) on the syntax tree, without those whose mutants are
 * nearly always equal to the original or never compile: types, imports, texts of errors and what is thrown.
 */
import { parse } from '@babel/parser';
import type { Edit } from './edit.ts';

export interface Mutant extends Edit {
  readonly at: number;
  /**
   * Where the expression or statement begins that has the edit. An operator has no place in a source map: it follows
   * its left operand, whose last part may never run (`(a ?? 0) > b`).
   */
  readonly from: number;
  readonly line: number;
  readonly mutator: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: { readonly line: number } };
  readonly [field: string]: unknown;
}

const swaps: Readonly<Record<string, readonly string[]>> = {
  '<': ['<='],
  '<=': ['<'],
  '>': ['>='],
  '>=': ['>'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': [],
  '+=': ['-='],
  '-=': ['+='],
};
const skipped = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'TSTypeAnnotation',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeParameterInstantiation',
  'TSAsExpression#type',
  'ThrowStatement',
  'NewExpression:Error',
]);

export function mutantsOf(file: string, source: string): Mutant[] {
  const { program } = parse(source, { sourceType: 'module', plugins: ['typescript'] });
  const mutants: Mutant[] = [];
  const put = (node: Node, mutator: string, start: number, end: number, replace: string) => {
    const place = { file, from: node.start, at: start, line: node.loc.start.line };
    mutants.push({ ...place, find: source.slice(start, end), replace, mutator });
  };
  const visit = (node: Node) => {
    if (skipped.has(node.type) || isError(node)) return;
    mutate(node, source, put);
    for (const [field, value] of Object.entries(node)) {
      if (field === 'typeAnnotation' || field === 'typeParameters' || field === 'returnType') continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  };
  visit(program as unknown as Node);
  return mutants;
}

type Put = (node: Node, mutator: string, start: number, end: number, replace: string) => void;

function mutate(node: Node, source: string, put: Put): void {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression': {
      const { left, right, operator } = node as unknown as { left: Node; right: Node; operator: string };
      // Texts are joined by `+`, and never taken from each other.
      if (operator.startsWith('+') && (isText(left) || isText(right))) return;
      const at = source.indexOf(operator, left.end);
      if (at < 0 || at >= right.start) return;
      for (const other of swaps[operator] ?? []) put(node, 'operator', at, at + operator.length, other);
      return;
    }
    case 'UpdateExpression': {
      const { operator, prefix } = node as unknown as { operator: string; prefix: boolean };
      const at = prefix ? node.start : node.end - 2;
      put(node, 'update', at, at + 2, operator === '++' ? '--' : '++');
      return;
    }
    case 'UnaryExpression':
      if (node['operator'] === '!') put(node, 'negation', node.start, node.start + 1, '');
      return;
    case 'BooleanLiteral':
      put(node, 'boolean', node.start, node.end, node['value'] ? 'false' : 'true');
      return;
    case 'NumericLiteral':
      put(node, 'number', node.start, node.end, `(${source.slice(node.start, node.end)} + 1)`);
      return;
    case 'IfStatement': {
      const test = node['test'] as Node;
      put(node, 'condition', test.start, test.end, 'true');
      put(node, 'condition', test.start, test.end, 'false');
      return;
    }
    case 'ConditionalExpression': {
      const test = node['test'] as Node;
      put(node, 'condition', test.start, test.end, 'true');
      put(node, 'condition', test.start, test.end, 'false');
      return;
    }
    case 'ExpressionStatement':
      put(node, 'statement', node.start, node.end, ';');
      return;
    case 'CallExpression': {
      const callee = node['callee'] as Node;
      const name = (callee['property'] as Node | undefined)?.['name'];
      const isMath = callee.type === 'MemberExpression' && (callee['object'] as Node)['name'] === 'Math';
      if (!isMath || (name !== 'min' && name !== 'max')) return;
      put(node, 'bound', callee.start, callee.end, name === 'min' ? 'Math.max' : 'Math.min');
    }
  }
}

function isText({ type }: Node): boolean {
  return type === 'StringLiteral' || type === 'TemplateLiteral';
}

function isError(node: Node): boolean {
  return node.type === 'NewExpression' && /Error$/.test(String((node['callee'] as Node)['name'] ?? ''));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string' && 'loc' in value;
}
