const SCRIPT = `
[(function_declaration name: (_) @name) (generator_function_declaration name: (_) @name)] @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
(assignment_expression left: (member_expression property: (_) @name) right: [(arrow_function) (function_expression)]) @function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
((pair key: (property_identifier) @name) @constant (#match? @name "^[A-Z][A-Z0-9]*_[A-Z0-9_]+$"))
(program [
  (lexical_declaration (variable_declarator name: (identifier) @name))
  (variable_declaration (variable_declarator name: (identifier) @name))
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)))
] @constant)
(comment) @comment
(import_statement) @import
(export_statement source: (_)) @import
((expression_statement (assignment_expression left: (member_expression) @called
  right: [(identifier) (object . (shorthand_property_identifier))])) @import (#match? @called "^(module\\.)?exports"))
((lexical_declaration (variable_declarator value: (call_expression function: (identifier) @called))) @import (#eq? @called "require"))
((variable_declaration (variable_declarator value: (call_expression function: (identifier) @called))) @import (#eq? @called "require"))
`;

const TYPESCRIPT = `${SCRIPT}
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
[(type_alias_declaration name: (_) @name) (enum_declaration name: (_) @name)] @type
(function_signature name: (_) @name) @function
[(method_signature name: (_) @name) (abstract_method_signature name: (_) @name)] @method
(public_field_definition name: (_) @name value: (arrow_function)) @method
[(internal_module name: (_) @name) (module name: (identifier) @name)] @module
`;

/**
 * One tree-sitter query for each grammar: `@name` is the name of a definition, the capture around it says its kind and covers
 * its lines; `@owner` only names what stands in it. `@comment` is a comment, `@import` brings in names of other files, or passes names on.
 */
export const DEFINITION_QUERIES: Readonly<Record<string, string>> = {
  javascript: SCRIPT,
  typescript: TYPESCRIPT,
  tsx: TYPESCRIPT,
  python: `
(class_definition body: (block (function_definition name: (_) @name) @method))
(class_definition body: (block (decorated_definition (function_definition name: (_) @name)) @method))
(function_definition name: (_) @name) @function
(class_definition name: (_) @name) @class
(module (expression_statement (assignment left: (identifier) @name)) @constant)
(comment) @comment
(expression_statement . (string) @comment .)
[(import_statement) (import_from_statement)] @import
`,
  go: `
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(const_spec name: (_) @name) @constant
(source_file (var_declaration (var_spec name: (_) @name)) @constant)
(comment) @comment
(import_declaration) @import
`,
  rust: `
(impl_item body: (declaration_list (function_item name: (_) @name) @method))
(trait_item body: (declaration_list [(function_item name: (_) @name) (function_signature_item name: (_) @name)] @method))
(function_item name: (_) @name) @function
[(struct_item name: (_) @name) (enum_item name: (_) @name) (union_item name: (_) @name)] @class
(trait_item name: (_) @name) @interface
(impl_item type: (_) @name) @owner
(type_item name: (_) @name) @type
[(const_item name: (_) @name) (static_item name: (_) @name)] @constant
(mod_item name: (_) @name body: (_)) @module
(macro_definition name: (_) @name) @function
[(line_comment) (block_comment)] @comment
(use_declaration) @import
`,
  java: `
[(class_declaration name: (_) @name) (record_declaration name: (_) @name)] @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @type
[(method_declaration name: (_) @name) (constructor_declaration name: (_) @name)] @method
(field_declaration declarator: (variable_declarator name: (_) @name)) @constant
[(line_comment) (block_comment)] @comment
(import_declaration) @import
`,
  'c-sharp': `
[(class_declaration name: (_) @name) (struct_declaration name: (_) @name) (record_declaration name: (_) @name)] @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @type
[(method_declaration name: (_) @name) (constructor_declaration name: (_) @name)] @method
(property_declaration name: (_) @name) @constant
(comment) @comment
(using_directive) @import
`,
  cpp: `
(function_definition declarator: (_) @declarator) @function
[(class_specifier name: (_) @name body: (_)) (struct_specifier name: (_) @name body: (_))] @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @type
(namespace_definition name: (_) @name) @module
(type_definition declarator: (type_identifier) @name) @type
(preproc_def name: (_) @name) @constant
(preproc_function_def name: (_) @name) @function
(comment) @comment
(preproc_include) @import
`,
  ruby: `
[(method name: (_) @name) (singleton_method name: (_) @name)] @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @constant
(comment) @comment
`,
  php: `
(function_definition name: (_) @name) @function
(class_declaration name: (_) @name) @class
[(interface_declaration name: (_) @name) (trait_declaration name: (_) @name)] @interface
(enum_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(const_declaration (const_element (name) @name)) @constant
(comment) @comment
(namespace_use_declaration) @import
`,
  bash: `
(function_definition name: (_) @name) @function
(program (variable_assignment name: (_) @name) @constant)
(comment) @comment
`,
};
